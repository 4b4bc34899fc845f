import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Whether somebody sits at a terminal who can be asked. */
export const canPrompt = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/**
 * Asks for a secret on the terminal, without showing what is typed. The question goes to standard
 * error, so that standard output stays for programs.
 */
export async function promptSecret(question: string): Promise<string> {
  // Readline echoes what is typed to its output.
  const hidden = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true })
  try {
    // Only now: the terminal itself shows what is typed before readline has taken it over.
    process.stderr.write(question)
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
