import { SubscriptionStatus } from '@quittance/contracts/subscriptions'
import { expect, test } from 'vitest'
import { canMove, isEnd } from './subscription-status.ts'

const statuses = SubscriptionStatus.options

test('what ended stays ended, and everything else can be canceled', () => {
  for (const from of statuses) {
    expect(isEnd(from)).toBe(from === 'canceled' || from === 'incomplete_expired')
    expect(canMove(from, 'canceled')).toBe(!isEnd(from))
    for (const to of statuses) if (isEnd(from)) expect(canMove(from, to)).toBe(false)
  }
})

test('nothing moves to where it is, and nothing goes back to incomplete', () => {
  for (const from of statuses) {
    expect(canMove(from, from)).toBe(false)
    expect(canMove(from, 'incomplete')).toBe(false)
  }
})
