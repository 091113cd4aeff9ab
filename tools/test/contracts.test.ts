import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkSteps } from '../src/check-steps.ts'

const root = join(import.meta.dirname, '../..')
const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** The contracts package as it lies here, changed by hand, with its releases. */
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

/** The step of `npm run check`, as it is run there, on another folder. */
function checkOf(contracts: string): { status: number | null; output: string } {
  const step = checkSteps.flat().find(({ name }) => name === 'contracts')
  const [program, ...args] = step?.command ?? []
  expect(program).toBe('node')
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--contracts', contracts], { cwd: root, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('the check passes the contracts of today', () => {
  expect(checkOf(copyOfContracts(null))).toMatchObject({ status: 0 })
})

test('the check refuses a contract that breaks a deployed neighbour, and says what breaks whom', () => {
  const { status, output } = checkOf(copyOfContracts({ file: 'orders.ts', from: '    billing_reason: BillingReason,\n', to: '' }))
  expect(status).toBe(1)
  expect(output).toContain(
    'orders.order.get (GET /v1/orders/{id}): “billing_reason” of the reply is needed by callers of 0.1.0, and today’s orders do not send it.',
  )
  expect(output).toContain('event.order.paid (webhook order.paid): “billing_reason” of the payload is needed by')
})

test('a break passes when somebody has answered for it, by its sentence; an answer for nothing does not', () => {
  const contracts = copyOfContracts({ file: 'streams.ts', from: "durable: 'orders-invoice-generated'", to: "durable: 'orders-invoices'" })
  const { status, output } = checkOf(contracts)
  const sentence =
    'The durable orders-invoice-generated is called orders-invoices now: under a new name orders hears and does seven days again.'
  expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining(sentence) as string })
  const file = join(contracts, 'releases', '0.1.0', 'accepted.json')
  const answered = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {}
  const answerFor = (change: string) => writeFileSync(file, JSON.stringify({ ...answered, [change]: 'nobody runs it yet.' }))
  answerFor(sentence)
  expect(checkOf(contracts)).toMatchObject({ status: 0, output: expect.stringContaining('Because nobody runs it yet.') as string })
  answerFor('Something else.')
  expect(checkOf(contracts)).toMatchObject({ status: 1, output: expect.stringContaining('answers for what does not happen') as string })
})

test('a release is never written over', () => {
  const contracts = copyOfContracts(null)
  const args = ['tools/src/contracts.ts', '--release', '0.1.0', '--contracts', contracts]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(stderr).toContain('0.1.0 is released already')
})
