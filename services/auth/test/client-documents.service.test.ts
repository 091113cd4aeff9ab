import { startDocumentServer, type DocumentServer } from './document-server.ts'
import { readAuthorizationCode } from '@quittance/testing/oauth-client'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { config } from '../src/config.ts'
import { startAuthorizationServer } from './start-authorization-server.ts'
import { allowFor, askFor, tokensFor } from './third-party.ts'

process.env['CLIENT_ID_ALLOWED_CIDRS'] = '127.0.0.0/8'

const redirect_uris = ['https://ledger.example.com/callback']
const at = (documents: DocumentServer, path = '/client.json') => ({ client_id: documents.origin + path, redirect_uris })
const isRefused = { status: 400, body: expect.stringContaining('not known here') }

test('accepts an unregistered client by its URL: the page names its host, its tokens work', async () => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json')
  const [client, browser] = [at(documents), server.newBrowser()]
  const metadata = await (await fetch(`${server.origin}/.well-known/oauth-authorization-server`)).json()
  expect(metadata).toMatchObject({ client_id_metadata_document_supported: true })
  const page = await browser.submit(await askFor(server, { client, browser }), { ...server.person }, '/sign-in')
  expect(page.body).toContain('Not verified')
  expect(page.body).toContain(`<bdi>${new URL(documents.origin).host}</bdi>`)
  const tokens = await tokensFor(server, { client, browser })
  expect(tokens).toMatchObject({ status: 200, body: { access_token: expect.any(String), refresh_token: expect.any(String) } })
  const userinfo = await fetch(`${server.origin}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${tokens.body.access_token}` } })
  expect(await userinfo.json()).toMatchObject({ sub: server.person.id })
  expect(documents.requestedPaths).toEqual(['/client.json'])
})

test('rereads stale documents, never at the token endpoint; new redirect URIs end consents', async () => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json', {}, { 'cache-control': 'max-age=1' })
  const [client, browser] = [at(documents), server.newBrowser()]
  const code = readAuthorizationCode(await allowFor(server, { client, browser }))
  expect((await askFor(server, { client, browser, parameters: { prompt: 'none' } })).url.searchParams.has('code')).toBe(true)
  expect(documents.requestedPaths).toHaveLength(1)
  await server.service.rows(`update clients set document_expires_at = now() where client_id = $1`, [client.client_id])
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: client.client_id,
    redirect_uri: redirect_uris[0] ?? '',
  })
  await fetch(`${server.origin}/v1/oauth2/token`, { method: 'POST', body })
  expect(documents.requestedPaths).toHaveLength(1)
  const elsewhere = ['https://evil.example/callback']
  documents.describe('/client.json', { redirect_uris: elsewhere })
  const moved = { client: { ...client, redirect_uris: elsewhere }, browser }
  expect(await askFor(server, moved)).toMatchObject({ status: 200, body: expect.stringContaining('value="allow"') })
  expect(documents.requestedPaths).toHaveLength(2)
  expect(await server.service.rows('select from consents')).toEqual([])
  expect(await server.service.rows('select from client_change_notices')).toHaveLength(1)
})

test.each<[string, Record<string, unknown>]>([
  ['another client_id', { client_id: 'https://other.example/client.json' }],
  ['a secret', { client_secret: 'x' }],
  ['an authentication by secret', { token_endpoint_auth_method: 'client_secret_post' }],
  ['a redirect URI in a private network', { redirect_uris: ['http://192.168.1.10/cb'] }],
  ['a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
  ['no redirect URI', { redirect_uris: [] }],
  ['a name that turns the text around', { client_name: 'Pay\u202Elap' }],
  ['more bytes than allowed', { padding: 'x'.repeat(6_000) }],
])('rejects a document with %s and stores nothing of it', async (_, changed) => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json', changed)
  expect(await askFor(server, { client: at(documents), browser: server.newBrowser() })).toMatchObject(isRefused)
  expect(await server.service.rows(`select from clients where client_id like 'https:%'`)).toEqual([])
})

test.each<[string, Parameters<DocumentServer['answer']>[0]]>([
  ['redirects to another address', (_, response) => void response.writeHead(302, { location: 'https://127.0.0.1/metrics' }).end()],
  [
    'is compressed',
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync('{}')),
  ],
  ['is an HTML page', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['is not JSON', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{')],
  ['never ends', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')],
  ['never begins', () => {}],
])('rejects within seconds a document that %s', async (_, how) => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.answer(how)
  expect(await askFor(server, { client: at(documents), browser: server.newBrowser() })).toMatchObject(isRefused)
  expect(documents.requestedPaths).toEqual(['/client.json'])
})

test('documents that do not arrive for one network keep no other from reading one', async () => {
  await using slow = await startDocumentServer()
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  slow.answer(() => {})
  documents.describe('/client.json')
  const stranger = (index: number) => askFor(server, { client: at(slow, `/${index}.json`), browser: server.newBrowser('203.0.113.7') })
  const asked = Array.from({ length: 40 }, (_, index) => stranger(index))
  // The first reply rejects a request for which no fetch is left.
  expect(await Promise.race(asked)).toMatchObject(isRefused)
  const page = await askFor(server, { client: at(documents), browser: server.newBrowser('198.51.100.9') })
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('Ledger') })
  await Promise.all(asked)
})

test('one network names at most 100 unknown clients in an hour, and the clients that are known stay usable', async () => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  const ask = (path: string, ip: string) => {
    documents.describe(path)
    return askFor(server, { client: at(documents, path), browser: server.newBrowser(ip) })
  }
  for (let index = 0; index < 100; index++) expect((await ask(`/${index}.json`, '203.0.113.7')).status).toBe(200)
  expect(await ask('/100.json', '203.0.113.7')).toMatchObject(isRefused)
  expect(await server.service.rows(`select from clients where client_id like 'https:%'`)).toHaveLength(100)
  expect((await ask('/0.json', '203.0.113.7')).status).toBe(200)
  expect((await ask('/100.json', '198.51.100.9')).status).toBe(200)
})

test('connects to private addresses only if the operator allows their network', async () => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json')
  config().CLIENT_ID_ALLOWED_CIDRS = []
  expect(await askFor(server, { client: at(documents), browser: server.newBrowser() })).toMatchObject(isRefused)
  expect(documents.requestedPaths).toEqual([])
})

test.each(['?a=1', '#x', '/../client.json', ''])('does not accept %s as the URL of a document', async (ending) => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json')
  const client = { client_id: `${documents.origin}${ending && `/client.json${ending}`}`, redirect_uris }
  expect(await askFor(server, { client, browser: server.newBrowser() })).toMatchObject(isRefused)
  expect(documents.requestedPaths).toEqual([])
})

// The service under test runs in this process, and reads the environment again when the next test starts it.
test.each([
  ['documents', () => void (config().CLIENT_ID_DOCUMENTS = 'off')],
  ['registration', () => void (config().CLIENT_REGISTRATION = 'off')],
])('with %s off fetches nothing, and the metadata reports it', async (_, switchOff) => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json')
  switchOff()
  expect(await askFor(server, { client: at(documents), browser: server.newBrowser() })).toMatchObject(isRefused)
  expect(documents.requestedPaths).toEqual([])
  const metadata = await (await fetch(`${server.origin}/.well-known/openid-configuration`)).json()
  expect(metadata).toMatchObject({ client_id_metadata_document_supported: false })
})
