import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Everything written for Node runs on the Node this file runs on, whatever the machine's own is. */
export function resolveProgram(program: string): string {
  return program === 'node' || isScript(program) ? process.execPath : binary(program)
}

export function resolveArguments(program: string, args: readonly string[]): string[] {
  return isScript(program) ? [binary(program), ...args] : [...args]
}

const native = new Set(['turbo'])

function isScript(program: string): boolean {
  return program !== 'node' && !native.has(program)
}

function binary(program: string): string {
  return join(root, 'node_modules/.bin', program)
}
