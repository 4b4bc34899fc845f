#!/usr/bin/env -S node --no-allocation-site-pretenuring --max-semi-space-size=8 --heap-growing-percent=40
/** `npx atrium`: what an operator does with an installation besides letting it run. */
import { keepCompiled } from '../compiled.ts'

keepCompiled()
await import('./commands.ts')
