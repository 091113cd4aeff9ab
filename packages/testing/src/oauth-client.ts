import { createHash, randomBytes } from 'node:crypto'
import type { Browser, PageVisit } from './browser.ts'

/** An OAuth client as its developer knows it. */
export interface OAuthClient {
  client_id: string
  client_secret?: string | null
  redirect_uri: string
}

/** The user of the browser. */
export interface Person {
  email: string
  password: string
}

/** The user's decision on the consent screen. */
export interface ConsentDecision {
  action: 'allow' | 'deny'
  organization_id?: string
}

/** Builds the URL of an authorization request. */
export function authorizationUrl(authUrl: string, parameters: Record<string, string>): string {
  return `${authUrl}/oauth2/authorize?${new URLSearchParams({ response_type: 'code', ...parameters })}`
}

/** Completes the interaction (sign-in, consent or none) up to the redirect to the client. */
export async function completeInteraction(
  browser: Browser,
  from: PageVisit,
  { person, answer }: { person: Person; answer: ConsentDecision },
): Promise<PageVisit> {
  let visit = from
  if (visit.body.includes('name="password"')) visit = await browser.submit(visit, { ...person }, '/sign-in')
  if (visit.body.includes('name="action"')) visit = await browser.submit(visit, { ...answer }, '/consent')
  return visit
}

/** Reads the code from a redirect to the client; throws with the received page if there is none. */
export function readAuthorizationCode({ url, status, body }: PageVisit): string {
  const code = url.searchParams.get('code')
  if (!code) throw new Error(`No code in ${url.href} (${status}):\n${body.slice(body.indexOf('<main'), 2000)}`)
  return code
}

/** Response of a machine endpoint. */
export interface ProtocolResponse {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what a test is about; it asserts it
  body: any
}

/** POSTs a form. The client is authenticated by `client_secret_post`, or only by its id if it has no secret. */
export async function postForm(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<ProtocolResponse> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null }
}

/** Returns the form fields that authenticate a client. */
export function authentication({ client_id, client_secret }: OAuthClient): Record<string, string> {
  return { client_id, ...(client_secret && { client_secret }) }
}

/** Exchanges a code. */
export function exchangeCode(
  baseUrl: string,
  { client, code, verifier }: { client: OAuthClient; code: string; verifier?: string },
): Promise<ProtocolResponse> {
  const { redirect_uri } = client
  const fields = { grant_type: 'authorization_code', code, redirect_uri, ...(verifier && { code_verifier: verifier }) }
  return postForm(`${baseUrl}/v1/oauth2/token`, { ...fields, ...authentication(client) })
}

/** Exchanges a refresh token. */
export function refresh(baseUrl: string, { client, token }: { client: OAuthClient; token: string }): Promise<ProtocolResponse> {
  return postForm(`${baseUrl}/v1/oauth2/token`, { grant_type: 'refresh_token', refresh_token: token, ...authentication(client) })
}

/** Creates a PKCE pair (RFC 7636 §4). */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
