import { publicEvents, publicOperations } from '@quittance/contracts/registry'
import { buildOpenApi } from '@quittance/gateway/openapi/build-openapi'
import { parseAddress, readArguments } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the OpenAPI 3.1 description of the API.',
  help: `Usage: npm run quittance -- openapi [--base-url URL] [--auth-url URL]

  --base-url URL       public address of the API (default http://127.0.0.1:8080)
  --auth-url URL       public address of the sign-in pages (default that of the API)

A running gateway serves the same document at /openapi.json.

Example: npm run --silent quittance -- openapi --base-url https://billing.example.com > openapi.json`,
  async run(args) {
    const text = { type: 'string' } as const
    const { 'base-url': baseUrl = 'http://127.0.0.1:8080', 'auth-url': authUrl } = readArguments(args, {
      'base-url': text,
      'auth-url': text,
    })
    const base = parseAddress('--base-url', baseUrl)
    const auth = authUrl === undefined ? base : parseAddress('--auth-url', authUrl)
    console.log(JSON.stringify(buildOpenApi({ operations: publicOperations, events: publicEvents }, base, auth), null, 2))
  },
}
