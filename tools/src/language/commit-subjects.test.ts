import { expect, test } from 'vitest'
import { findSubjectProblems } from './commit-subjects.ts'

test.each(['feat(orders): place an order', 'fix!: reject it', 'ci: cache packages'])('accepts “%s”', (subject) => {
  expect(findSubjectProblems(subject)).toEqual([])
})

test.each([
  ['Orders: places orders', 'the subject is not “type(scope): imperative”'],
  ['feat(orders): place an order.', 'the subject ends with a full stop'],
  [`feat(orders): place ${'x'.repeat(60)}`, 'the subject has 80 characters; at most 72'],
  ['fix(webhooks): tell the relay', '“tell”: use publish, report, show, distinguish'],
])('rejects “%s”', (subject, problem) => {
  expect(findSubjectProblems(subject)).toEqual([problem])
})
