import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Whether standard input and standard error are a terminal, so that a prompt can be shown. */
export const canPrompt = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/**
 * Prompts for a secret without echo. The prompt goes to standard error, because standard output
 * belongs to the command's result.
 */
export async function promptSecret(question: string): Promise<string> {
  // Discards readline's echo of the typed characters.
  const hidden = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true })
  try {
    // Printed only after readline has switched the terminal's own echo off.
    process.stderr.write(question)
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
