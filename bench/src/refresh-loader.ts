/**
 * Process: exchanges refresh tokens and times it. Every connection has its own token, sends it once, and continues with the one from the
 * reply. Tokens stay in this process from one load to the next.
 */
import { Client } from 'undici'
import { closedLoop } from './closed-loop.ts'
import type { LoadResult, RefreshLoad } from './load.ts'

interface Holder {
  connection: Client
  token: string
}

const timeoutMs = 10_000
const holdersByOrigin = new Map<string, Holder[]>()

process.on('message', (load: RefreshLoad) => {
  void run(load).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

function run({ origin, client, tokens, seconds, connections }: RefreshLoad): Promise<LoadResult> {
  const holders = getHolders(origin, tokens)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return closedLoop({
    seconds,
    connections,
    async sendRequest(worker) {
      const holder = holders[worker] as Holder
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: holder.token, ...client }).toString()
      const reply = await holder.connection.request({ method: 'POST', path: '/v1/oauth2/token', headers, body })
      const text = await reply.body.text()
      if (reply.statusCode !== 200) throw new Error(`A refresh returned status ${reply.statusCode}: ${text.slice(0, 200)}`)
      const { refresh_token: token, access_token: accessToken, id_token: idToken } = JSON.parse(text)
      if (!token || token === holder.token || !accessToken || !idToken) throw new Error(`A refresh returned no new tokens: ${text}`)
      holder.token = token
      return Buffer.byteLength(text)
    },
  })
}

function getHolders(origin: string, tokens: readonly string[]): Holder[] {
  const known = holdersByOrigin.get(origin)
  if (known) return known
  const options = { keepAliveTimeout: 55_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const holders = tokens.map((token) => ({ token, connection: new Client(origin, options) }))
  holdersByOrigin.set(origin, holders)
  return holders
}
