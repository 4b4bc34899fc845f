import { configOf } from '../config.ts'

export default configOf('gateway')
