#!/usr/bin/env node
/** `npx atrium-gateway`: a gateway by itself. */
import { enableCompileCache } from '../platform/process/compile-cache.ts'

enableCompileCache()
await import('./standalone/serve.ts')
