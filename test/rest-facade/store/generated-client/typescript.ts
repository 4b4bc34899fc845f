/**
 * What openapi-typescript knows as `typescript`: version 7 has no API, and packages of older
 * versions bring a `tsc` that stands in its way.
 */
export { ts as default } from '@ts-morph/common'
