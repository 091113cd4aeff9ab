import { createHash, randomBytes } from 'node:crypto'
import type { Browser, Visit } from './browser.ts'

/** A client as its developer knows it. */
export interface OAuthClient {
  client_id: string
  client_secret?: string | null
  redirect_uri: string
}

/** Who is in front of the browser. */
export interface Person {
  email: string
  password: string
}

/** What the person answers on the consent page. */
export interface Answer {
  action: 'allow' | 'deny'
  organization_id?: string
}

/** Sends the browser to the authorization page. */
export function authorizationUrl(authUrl: string, parameters: Record<string, string>): string {
  return `${authUrl}/oauth2/authorize?${new URLSearchParams({ response_type: 'code', ...parameters })}`
}

/** Goes through whatever is asked (sign-in, consent or nothing) and ends where the client would be called back. */
export async function passPages(browser: Browser, from: Visit, { person, answer }: { person: Person; answer: Answer }): Promise<Visit> {
  let visit = from
  if (visit.body.includes('name="password"')) visit = await browser.submit(visit, { ...person }, '/sign-in')
  if (visit.body.includes('name="action"')) visit = await browser.submit(visit, { ...answer }, '/consent')
  return visit
}

/** The code of a call back; fails with what was answered instead. */
export function codeOf({ url, status, body }: Visit): string {
  const code = url.searchParams.get('code')
  if (!code) throw new Error(`No code in ${url.href} (${status}):\n${body.slice(body.indexOf('<main'), 2000)}`)
  return code
}

/** An answer of an endpoint for machines. */
export interface ProtocolAnswer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what a test is about; it asserts it
  body: any
}

/** POST of a form, the client authenticated by `client_secret_post`, or by its id alone when it has no secret. */
export async function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<ProtocolAnswer> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null }
}

/** The fields that authenticate a client in a form. */
export function authentication({ client_id, client_secret }: OAuthClient): Record<string, string> {
  return { client_id, ...(client_secret && { client_secret }) }
}

/** Exchanges a code. */
export function redeem(
  baseUrl: string,
  { client, code, verifier }: { client: OAuthClient; code: string; verifier?: string },
): Promise<ProtocolAnswer> {
  const { redirect_uri } = client
  const fields = { grant_type: 'authorization_code', code, redirect_uri, ...(verifier && { code_verifier: verifier }) }
  return postForm(`${baseUrl}/v1/oauth2/token`, { ...fields, ...authentication(client) })
}

/** Exchanges a refresh token. */
export function refresh(baseUrl: string, { client, token }: { client: OAuthClient; token: string }): Promise<ProtocolAnswer> {
  return postForm(`${baseUrl}/v1/oauth2/token`, { grant_type: 'refresh_token', refresh_token: token, ...authentication(client) })
}

/** A PKCE pair (RFC 7636 §4). */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
