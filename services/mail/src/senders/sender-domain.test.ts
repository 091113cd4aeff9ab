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
  [[`v=DKIM1; h=sha256; k=rsa; p=${key}`], true],
  [[`v=DKIM1; h=sha1:sha256; k=rsa; p=${key}`], true],
  [[`v=DKIM1; h=sha1; k=rsa; p=${key}`], false],
  [[`p=${key}; v=DKIM1`], false],
  [[`v=DKIM1; k=rsa; p=${key}; k=rsa`], false],
  [['something else'], false],
])('a key of the DNS proves a domain only if it is exactly ours: %j', (texts, isOurs) => {
  expect(hasSigningKey([texts], key)).toBe(isOurs)
})

const others = (count: number) => Array.from({ length: count }, (_, index) => `include:s${index}.example`).join(' ')

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
  [[['v=spf1 include:operator.example. ~all']], true],
  [[['v=spf1 -include:operator.example include:operator.example ~all']], false],
  [[[`v=spf1 ${others(9)} include:operator.example ~all`]], true],
  [[[`v=spf1 ${others(10)} include:operator.example ~all`]], false],
  [[[`v=spf1 a mx ptr exists:%{i}.a.example ${others(5)} ip4:192.0.2.1 include:operator.example ~all`]], true],
  [[[`v=spf1 a mx ptr exists:%{i}.a.example ${others(6)} include:operator.example ~all`]], false],
  [[], false],
])('a policy lets the operator send only if it includes its domain: %j', (records, isAllowed) => {
  expect(allowsSending(records, 'operator.example')).toBe(isAllowed)
})

test.each([
  'ip4:192.0.2.0/24 ip6:2001:db8::/32 -ip6:::1',
  'a a:mail.example/24 a/24//64 mx//64 ?mx:mail.example',
  'ptr ptr:mail.example exists:%{ir}.%{v}._spf.%{d2}',
  'include:%{d}.example. exp=explain.%{d} other=%{s}%%x unknown=',
  'redirect=other.example',
])('a policy with every kind of term is valid: %s', (terms) => {
  expect(allowsSending([[`v=spf1 ${terms} include:operator.example ~all`]], 'operator.example')).toBe(true)
})

test.each([
  'foo',
  'foo:bar',
  'ip4:192.0.2.300',
  'ip4:192.0.2.1/33',
  'ip4:192.0.2.1/08',
  'ip4',
  'ip6:192.0.2.1',
  'ip6:::1/129',
  'a:',
  'a:mail.example/33',
  'mx//129',
  'include',
  'include:localhost',
  'include:a.example/24',
  'exists:%{x}.a.example',
  'exists:100%.example',
  'all:x',
  '-exp=a.example',
  'redirect=a.example redirect=b.example',
  'redirect=',
  'other=%x',
])('a term with an error makes a policy invalid, also after the include: %s', (term) => {
  for (const terms of [`${term} include:operator.example`, `include:operator.example ${term}`]) {
    expect(allowsSending([[`v=spf1 ${terms} ~all`]], 'operator.example')).toBe(false)
  }
})
