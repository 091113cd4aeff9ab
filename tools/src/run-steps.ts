import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** A command of the checks. What it prints is shown when it fails. */
export interface Step {
  name: string
  /** Program in `node_modules/.bin`, or `node`, and its arguments. */
  command: readonly string[]
  env?: Record<string, string>
}

const root = join(import.meta.dirname, '../..')

/** Runs steps one after the other in each lane, lanes side by side; every failure is shown, none hides another. */
export async function runSteps(lanes: readonly (readonly Step[])[]): Promise<boolean> {
  const results = await Promise.all(
    lanes.map(async (lane) => {
      const passed: boolean[] = []
      for (const step of lane) passed.push(await run(step))
      return passed.every(Boolean)
    }),
  )
  return results.every(Boolean)
}

async function run({ name, command, env }: Step): Promise<boolean> {
  const started = performance.now()
  const { code, output } = await capture(command, env ?? {})
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
  if (code !== 0) console.log(output.trimEnd())
  return code === 0
}

function capture(command: readonly string[], env: Record<string, string>): Promise<{ code: number; output: string }> {
  const [program, ...args] = command as [string, ...string[]]
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(resolveProgram(program), resolveArguments(program, args), { cwd: root, env: { ...process.env, ...env } })
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

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
