import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { operations } from '@quittance/contracts/registry'
import { findUndeclaredErrors, findUnseenErrors, startSeenErrorsRecord } from './declared-errors.ts'

let checkout: string
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'quittance-seen-errors-'))
})
afterEach(() => rmSync(checkout, { recursive: true }))

const pairs = operations.flatMap(({ subject, errors }) => errors.map(({ name }) => `${subject} ${name}`))
const [first = '', second = ''] = pairs

function saveRecord(workspace: string, notes: Record<string, string>): void {
  mkdirSync(join(checkout, workspace), { recursive: true })
  const record = startSeenErrorsRecord(join(checkout, workspace))
  for (const [worker, text] of Object.entries(notes)) writeFileSync(join(record.folder, worker), text)
  record.save()
}

test('writes one sorted line per error, whichever worker saw it', () => {
  saveRecord('services/orders', { '2-1': `${second}\n${first}\n`, '1-1': `${first}\n` })
  const text = readFileSync(join(checkout, 'services/orders/.vitest/seen-errors.txt'), 'utf8')
  expect(text).toBe(
    [first, second]
      .toSorted()
      .map((pair) => `${pair}\n`)
      .join(''),
  )
})

test('merges the records of all workspaces and names what none has seen', () => {
  saveRecord('services/orders', { '1-1': `${first}\n` })
  saveRecord('tools', { '1-1': `${second}\n` })
  expect(findUnseenErrors(operations, checkout)).toEqual(pairs.filter((pair) => pair !== first && pair !== second))
})

test('names errors that their operation does not declare, except those of any operation', () => {
  const { subject } = operations[0] as (typeof operations)[number]
  const notes = `${first}\n${subject} SomethingElse\n${subject} Conflict common\ntest.thing.do SomethingElse\n`
  saveRecord('services/orders', { '1-1': notes })
  expect(findUndeclaredErrors(operations, checkout)).toEqual([`${subject} SomethingElse`])
})

test('names every error if no workspace has a record', () => {
  expect(findUnseenErrors(operations, checkout)).toEqual(pairs)
})

test('a new run of a workspace discards its earlier record', () => {
  saveRecord('services/orders', { '1-1': `${first}\n` })
  saveRecord('services/orders', {})
  expect(findUnseenErrors(operations, checkout)).toContain(first)
})
