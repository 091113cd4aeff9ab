import { expect, test } from 'vitest'
import { isRedirectUri, isWebUri } from './redirect-uri.ts'

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
  'http://10.0.0.5/callback',
  'http://192.168.1.20:8080/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
])('codes may be sent to %s', (uri) => {
  expect(isRedirectUri(uri)).toBe(true)
})

test.each([
  ['plain http on the internet', 'http://app.example.com/callback'],
  ['plain http on a public address', 'http://8.8.8.8/'],
  ['just outside of a private network', 'http://172.32.0.1/'],
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
  ['letters beyond ASCII', 'https://ápp.example.com/'],
  ['a script', 'javascript:alert(1)'],
  ['a script that mentions an address', 'javascript://app.example.com/%0aalert(1)'],
  ['data', 'data:text/html,hello'],
  ['a file', 'file:///etc/passwd'],
  ['a scheme of an application', 'com.example.app:/callback'],
  ['a port that is none', 'https://app.example.com:99999/'],
  ['nothing', ''],
])('codes are not sent to %s: %s', (_, uri) => {
  expect(isRedirectUri(uri)).toBe(false)
})

test('pages may be anywhere on the web, and nowhere else', () => {
  expect(isWebUri('http://example.com/terms#privacy')).toBe(true)
  expect(isWebUri('https://example.com/logo.svg')).toBe(true)
  for (const uri of ['javascript:alert(1)', 'data:image/png;base64,AA', 'ftp://example.com/', 'https://a"b/', 'https://u@example.com/']) {
    expect(isWebUri(uri)).toBe(false)
  }
})
