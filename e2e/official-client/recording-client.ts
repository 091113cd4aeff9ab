import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Polar } from '@polar-sh/sdk'
import { HTTPClient } from '@polar-sh/sdk/lib/http.js'
import { inlineComponents } from '@quittance/testing/inline-components'
import { callApi } from '@quittance/testing/system'
import { expect } from 'vitest'

/** An operation that the server describes and the client has a method for. */
interface KnownOperation {
  /** Operation id of the server. */
  id: string
  method: string
  path: RegExp
  /** Status of the successful response. */
  status: number
  /** Error classes of the client for the server's error responses. */
  errors: string[]
}

/** The unmodified client, with a record of the responses. */
export interface RecordingClient {
  polar: Polar
  known: readonly KnownOperation[]
  /** Operations with a successful response. */
  done: ReadonlySet<string>
  /** `‹operation› ‹class›` of every expected error that was thrown. */
  thrown: ReadonlySet<string>
  /** Asserts that the call throws this class. */
  refuses(className: string, call: () => Promise<unknown>): Promise<void>
}

export async function recordingClient({ accessToken, serverURL }: { accessToken: string; serverURL: string }): Promise<RecordingClient> {
  const known = await knownOperations(serverURL)
  const done = new Set<string>()
  const thrown = new Set<string>()
  const answered: KnownOperation[] = []
  const httpClient = new HTTPClient()
  httpClient.addHook('response', ({ status }, { method, url }) => {
    const { pathname } = new URL(url)
    const operation = known.find((candidate) => candidate.method === method && candidate.path.test(pathname))
    if (!operation) return
    answered.push(operation)
    if (operation.status === status) done.add(operation.id)
  })
  return {
    polar: new Polar({ accessToken, serverURL, httpClient }),
    known,
    done,
    thrown,
    async refuses(className, call) {
      answered.length = 0
      const error: unknown = await call().catch((reason: unknown) => reason)
      const asked = answered.at(-1)?.id
      const name = error instanceof Error ? error.constructor.name : 'no error'
      expect(`${asked} ${name}`).toBe(`${asked} ${className}`)
      thrown.add(`${asked} ${name}`)
    },
  }
}

interface Described {
  operationId: string
  responses: Record<string, { description: string }>
}

/** Reads the operations from the server's description and the client's code, so that no list must be maintained. */
async function knownOperations(serverURL: string): Promise<KnownOperation[]> {
  const { body } = await callApi(`${serverURL}/openapi.json`, { method: 'GET', token: null })
  const methods = methodsOfTheClient()
  return Object.entries(inlineComponents(body)['paths'] as Record<string, Record<string, Described>>)
    .flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, described]) => ({ path, method: method.toUpperCase(), ...described })),
    )
    .filter(({ method, path }) => methods.has(`${method} ${path}`))
    .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)
    .map(({ operationId, method, path, responses }) => ({
      id: operationId,
      method,
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      status: Number(Object.keys(responses).find((status) => status.startsWith('2'))),
      errors: [...(methods.get(`${method} ${path}`) ?? [])]
        .filter(([status, name]) => responses[status]?.description.split(', ').includes(serverName(name)))
        .map(([, name]) => name),
    }))
}

function serverName(className: string): string {
  return className === 'HTTPValidationError' ? 'RequestValidationError' : className
}

/** Returns by method and path each status for which the client has a specific error class, with that class. */
function methodsOfTheClient(): Map<string, [status: string, className: string][]> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@polar-sh/sdk')), '../esm')
  const files = readdirSync(join(folder, 'funcs')).filter((file) => file.endsWith('.js'))
  return new Map(
    files.map((file) => {
      const code = readFileSync(join(folder, 'funcs', file), 'utf8')
      const [, path] = /pathToFunc\("([^"]+)"\)/.exec(code) ?? []
      const [, method] = /method: "(\w+)"/.exec(code) ?? []
      const errors = [...code.matchAll(/jsonErr\((\d+), (\w+)\$inboundSchema/g)].flatMap(([, status, name]) =>
        classesOf(name as string, { code, folder }).map((className): [string, string] => [status as string, className]),
      )
      return [`${method} ${path}`, errors]
    }),
  )
}

/** Returns the class of a schema, or the classes that its file imports. */
function classesOf(schema: string, { code, folder }: { code: string; folder: string }): string[] {
  const [, file] = new RegExp(`${schema}\\$inboundSchema,? \\} from "\\.\\./(models/errors/[^"]+)"`).exec(code) ?? []
  const text = readFileSync(join(folder, file as string), 'utf8')
  if (text.includes(`class ${schema} `)) return [schema]
  return [...text.matchAll(/import \{ (\w+)\$inboundSchema/g)].map(([, name]) => name as string)
}
