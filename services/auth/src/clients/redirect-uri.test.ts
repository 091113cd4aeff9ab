import { expect, test } from 'vitest'
import { isRedirectUri, isRegisteredOrigin, isRegisteredRedirect, isWebUri } from './client-metadata.ts'

test.each([
  'https://app.example.com/callback',
  'https://app.example.com:8443/a/b?tenant=1',
  'https://app.example.com',
  'http://localhost/callback',
  'http://localhost:3000/callback',
  'http://app.localhost:3000/',
  'http://127.0.0.1:8976/callback',
  'http://127.8.9.10/',
  'http://[::1]:5000/',
])('accepts %s as redirect URI', (uri) => {
  expect(isRedirectUri(uri, { isPublic: false })).toBe(true)
  expect(isRedirectUri(uri, { isPublic: true })).toBe(true)
})

test.each(['com.example.app:/callback', 'com.example.app:/', 'io.github.ada-l.app2:/cb?tenant=1'])(
  'accepts a private-use scheme from public clients only: %s (RFC 8252 §7.1)',
  (uri) => {
    expect(isRedirectUri(uri, { isPublic: true })).toBe(true)
    expect(isRedirectUri(uri, { isPublic: false })).toBe(false)
  },
)

test.each([
  ['plain http on the internet', 'http://app.example.com/callback'],
  ['plain http on a public address', 'http://8.8.8.8/'],
  ['plain http in a private network', 'http://10.0.0.5/callback'],
  ['plain http in a private network', 'http://192.168.1.20:8080/'],
  ['plain http in a private network', 'http://172.16.0.1/'],
  ['plain http in a private network, as one number', 'http://3232235786/'],
  ['plain http in a private network of IPv6', 'http://[fd00::1]/'],
  ['plain http on a link-local address', 'http://169.254.169.254/'],
  ['a name that begins like a private address', 'http://10.evil.example/'],
  ['a name that ends like localhost', 'http://evillocalhost/'],
  ['a name that begins with localhost', 'http://localhost.evil.example/'],
  ['a fragment', 'https://app.example.com/callback#here'],
  ['an empty fragment', 'https://app.example.com/callback#'],
  ['user info', 'https://user:secret@app.example.com/'],
  ['empty user info', 'https://@app.example.com/'],
  ['user info that looks like the host', 'https://app.example.com@evil.example/'],
  ['a wildcard host', 'https://*.example.com/callback'],
  ['a wildcard path', 'https://app.example.com/*'],
  ['a relative reference', '/callback'],
  ['a reference without scheme', '//app.example.com/callback'],
  ['no slashes', 'https:app.example.com'],
  ['no host', 'https:///callback'],
  ['backslashes', 'https:\\\\app.example.com\\callback'],
  ['a backslash after the host', 'https://app.example.com\\@evil.example/'],
  ['a line break', 'https://app.example.com/\ncallback'],
  ['a space', ' https://app.example.com/'],
  ['characters beyond ASCII', 'https://ápp.example.com/'],
  ['a script', 'javascript:alert(1)'],
  ['a script that mentions an address', 'javascript://app.example.com/%0aalert(1)'],
  ['data', 'data:text/html,hello'],
  ['a file', 'file:///etc/passwd'],
  ['a scheme without a dot', 'myapp:/callback'],
  ['a scheme with a host', 'com.example.app://callback'],
  ['a scheme without a path', 'com.example.app:callback'],
  ['a scheme with a fragment', 'com.example.app:/callback#x'],
  ['a scheme that ends with a dot', 'com.:/callback'],
  ['a scheme in capitals', 'COM.example.app:/callback'],
  ['a script in a scheme that looks reversed', 'javascript:/com.example.app:/callback'],
  ['an intent', 'intent:/callback'],
  ['an invalid port', 'https://app.example.com:99999/'],
  ['nothing', ''],
])('rejects %s as redirect URI: %s', (_, uri) => {
  expect(isRedirectUri(uri, { isPublic: true })).toBe(false)
  expect(isRedirectUri(uri, { isPublic: false })).toBe(false)
})

test('client pages may have any web address and no other', () => {
  expect(isWebUri('http://example.com/terms#privacy')).toBe(true)
  expect(isWebUri('https://example.com/logo.svg')).toBe(true)
  for (const uri of ['javascript:alert(1)', 'data:image/png;base64,AA', 'ftp://example.com/', 'https://a"b/', 'https://u@example.com/']) {
    expect(isWebUri(uri)).toBe(false)
  }
})

test.each([
  ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb', true],
  ['http://127.0.0.1:8976/cb', 'http://127.0.0.1:49152/cb', true],
  ['http://127.0.0.1:8976/cb', 'http://127.0.0.1/cb', true],
  ['http://[::1]/cb', 'http://[::1]:49152/cb', true],
  ['http://127.0.0.1/cb?a=1', 'http://127.0.0.1:49152/cb?a=1', true],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/other', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb/', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb?a=1', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb', false],
  ['http://127.0.0.1/cb', 'https://127.0.0.1:49152/cb', false],
  ['http://127.0.0.1/cb', 'http://127.0.0.2:49152/cb', false],
  ['http://127.0.0.1/cb', 'http://[::1]:49152/cb', false],
  ['http://localhost/cb', 'http://localhost:49152/cb', false],
  ['https://app.example/cb', 'https://app.example:8443/cb', false],
  ['https://app.example/cb', 'https://app.example/cb', true],
  ['com.example.app:/cb', 'com.example.app:/cb', true],
  ['com.example.app:/cb', 'com.example.app:/cb2', false],
])('registered as %s, requested as %s: %s (RFC 8252 §7.3)', (registered, asked, isSame) => {
  expect(isRegisteredRedirect(asked, ['https://other.example/', registered])).toBe(isSame)
})

test.each([
  ['https://app.example/cb', 'https://app.example', true],
  ['https://app.example/cb', 'https://app.example:8443', false],
  ['http://127.0.0.1:8976/cb', 'http://127.0.0.1:49152', true],
  ['http://[::1]/cb', 'http://[::1]:49152', true],
  ['http://localhost:8976/cb', 'http://localhost:49152', false],
  ['http://127.0.0.1:8976/cb', 'http://127.0.0.2:8976', false],
  ['http://127.0.0.1:8976/cb', 'http://127.0.0.1:49152/cb', false],
])('with %s registered, decides whether %s is an origin of the client: %s', (uri, origin, isRegistered) => {
  expect(isRegisteredOrigin(origin, [uri])).toBe(isRegistered)
})
