import { readdirSync, readFileSync } from 'node:fs'
import { processorMilliseconds, residentBytes } from '../server.ts'

/** Processor time of a process and those that it started, in milliseconds. */
export const processorTimeOfTree = (pid: number): number => sumOf(pid, processorMilliseconds)

/** Resident memory of a process and those that it started, in bytes. */
export const residentOfTree = (pid: number): number => sumOf(pid, residentBytes)

function sumOf(root: number, figureOf: (pid: number) => number): number {
  const parents = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [[Number(name), parentOf(name)]] : [])))
  const tree = new Set([root])
  for (let size = 0; size !== tree.size; ) {
    size = tree.size
    for (const [pid, parent] of parents) if (tree.has(parent ?? 0)) tree.add(pid ?? 0)
  }
  return [...tree].reduce((sum, pid) => sum + (figureOf(pid) || 0), 0)
}

function parentOf(pid: string): number {
  try {
    // Behind the name in parentheses: the state, then the parent.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return 0
  }
}
