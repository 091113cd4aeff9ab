import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A modified copy of the contracts package, with its releases. */
function copyOfContracts(change: { file: string; from: string; to: string } | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-contracts-'))
  folders.push(folder)
  const copy = join(folder, 'packages', 'contracts')
  mkdirSync(copy, { recursive: true })
  for (const part of ['src', 'releases', 'package.json'])
    cpSync(join(root, 'packages', 'contracts', part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  if (change) {
    const file = join(copy, 'src', change.file)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(change.from)
    writeFileSync(file, text.replace(change.from, change.to))
  }
  return copy
}

/** Runs the step of `npm run check` on another folder. */
function runCheck(contracts: string): { status: number | null; output: string } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const [program, ...args] = scripts['check:contracts']?.split(' ') ?? []
  expect(program).toBe('node')
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--contracts', contracts], { cwd: root, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('accepts the contracts of today', () => {
  expect(runCheck(copyOfContracts(null))).toMatchObject({ status: 0 })
})

test('rejects a contract that breaks a deployed service, and reports the break', () => {
  const { status, output } = runCheck(copyOfContracts({ file: 'orders.ts', from: '    billing_reason: BillingReason,\n', to: '' }))
  expect(status).toBe(1)
  expect(output).toContain(
    'orders.order.get (GET /v1/orders/{id}): “billing_reason” of the reply is required by callers of 0.1.0, and today’s orders do not send it.',
  )
  expect(output).toContain('event.order.paid (webhook order.paid): “billing_reason” of the payload is required by')
})

test('accepts a break that is listed with a reason, and rejects an entry that matches no break', () => {
  const contracts = copyOfContracts({ file: 'streams.ts', from: "durable: 'orders-invoice-generated'", to: "durable: 'orders-invoices'" })
  const { status, output } = runCheck(contracts)
  const sentence =
    'The durable orders-invoice-generated is called orders-invoices now: under the new name orders consumes seven days of events again.'
  expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining(sentence) as string })
  const file = join(contracts, 'releases', '0.1.0', 'accepted.json')
  const answered = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {}
  const acceptBreak = (change: string) => writeFileSync(file, JSON.stringify({ ...answered, [change]: 'no deployment runs it yet.' }))
  acceptBreak(sentence)
  expect(runCheck(contracts)).toMatchObject({ status: 0, output: expect.stringContaining('Because no deployment runs it yet.') as string })
  acceptBreak('Something else.')
  expect(runCheck(contracts)).toMatchObject({ status: 1, output: expect.stringContaining('accepts a break that does not occur') as string })
})

test('never overwrites a release', () => {
  const contracts = copyOfContracts(null)
  const args = ['tools/src/contracts.ts', '--release', '0.1.0', '--contracts', contracts]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(stderr).toContain('0.1.0 is already released')
})
