#!/usr/bin/env -S node --no-allocation-site-pretenuring --max-semi-space-size=16 --heap-growing-percent=40
/** `npx atrium`: the command line of an operator. */
import { enableCompileCache } from '../platform/process/compile-cache.ts'

enableCompileCache()
await import('./commands.ts')
