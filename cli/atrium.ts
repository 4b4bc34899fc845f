#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --no-allocation-site-pretenuring --max-semi-space-size=16 --heap-growing-percent=40
/** `npx atrium`: what an operator does with an installation besides letting it run. */
import { keepCompiled } from '../platform/process/compile-cache.ts'

keepCompiled()
await import('./commands.ts')
