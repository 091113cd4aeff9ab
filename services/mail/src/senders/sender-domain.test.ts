import { expect, test } from 'vitest'
import { allowsSending, hasSigningKey } from './sender-domain.ts'

const key = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA+/='

test.each([
  [[`v=DKIM1; k=rsa; p=${key}`], true],
  [[`v=DKIM1; k=rsa; p=${key.slice(0, 20)}`, key.slice(20)], true],
  [[`p=${key}`], true],
  [[`v=DKIM1;k=rsa;s=email;t=s;p=${key.slice(0, 9)} ${key.slice(9)};`], true],
  [[`v=DKIM1; k=rsa; p=${key}x`], false],
  [[`v=DKIM1; k=rsa; p=`], false],
  [[`v=DKIM1; k=ed25519; p=${key}`], false],
  [[`v=DKIM2; p=${key}`], false],
  [[`v=DKIM1; t=y; p=${key}`], false],
  [[`v=DKIM1; s=other; p=${key}`], false],
  [['something else'], false],
])('a key of the DNS proves a domain only if it is exactly ours: %j', (texts, isOurs) => {
  expect(hasSigningKey([texts], key)).toBe(isOurs)
})

test('no record, and several, prove nothing', () => {
  expect(hasSigningKey([], key)).toBe(false)
  expect(hasSigningKey([[`p=${key}`], [`p=${key}`]], key)).toBe(false)
})

test.each([
  [[['v=spf1 include:operator.example ~all']], true],
  [[['google-site-verification=1'], ['v=spf1 ip4:192.0.2.1 +include:Operator.Example', ' -all']], true],
  [[['V=SPF1 include:operator.example']], true],
  [[['v=spf1 -include:operator.example ~all']], false],
  [[['v=spf1 ~all include:operator.example']], false],
  [[['v=spf1 include:operator.example.evil.example ~all']], false],
  [[['v=spf10 include:operator.example']], false],
  [[['v=spf1 include:operator.example'], ['v=spf1 -all']], false],
  [[['v=spf1 redirect=operator.example']], false],
  [[], false],
])('a policy lets the operator send only if it includes its domain: %j', (records, isAllowed) => {
  expect(allowsSending(records, 'operator.example')).toBe(isAllowed)
})
