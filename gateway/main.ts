#!/usr/bin/env node
/** `npx atrium-gateway`: the standalone gateway. */
import { enableCompileCache } from '../platform/process/compile-cache.ts'

enableCompileCache()
await import('./standalone/serve.ts')
