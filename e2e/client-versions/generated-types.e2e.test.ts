import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { scale } from '@quittance/testing/scale'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packagesFolder } from './clients.ts'
import { createWorld, type World } from './world.ts'

const run = promisify(execFile)
const document = join(import.meta.dirname, '../../docs/openapi.json')

const typescriptProgram = `
import type { paths } from './api.d.ts'
type Orders = paths['/v1/orders/']['get']['responses'][200]['content']['application/json']
const headers = { authorization: \`Bearer \${process.env['ACCESS_TOKEN']}\` }
const response = await fetch(\`\${process.env['BASE_URL']}/v1/orders/?limit=1\`, { headers })
const orders = (await response.json()) as Orders
const [order] = orders.items
if (order === undefined) throw new Error('no order')
const total: number = order.total_amount
const status: 'pending' | 'paid' | 'refunded' | 'partially_refunded' = order.status
console.log(JSON.stringify({ id: order.id, total, status }))
`

/** The generated decoders check the type of every member that they know. */
const pythonProgram = `
import json, os, urllib.request
from quittance import quittance_from_dict
def get(path):
    request = urllib.request.Request(os.environ['BASE_URL'] + path, headers={'authorization': 'Bearer ' + os.environ['ACCESS_TOKEN']})
    return json.load(urllib.request.urlopen(request))['items'][0]
reply = quittance_from_dict({'order': get('/v1/orders/?limit=1'), 'customer': get('/v1/customers/?limit=1'),
    'product': get('/v1/products/?limit=1'), 'subscription': get('/v1/subscriptions/?limit=1')})
print(json.dumps({'id': str(reply.order.id), 'total': reply.order.total_amount, 'status': reply.order.status.value}))
`

let packages: string
let folder: string
let world: World
let newest: object

describe.runIf(scale(false, true))('types that a generator makes from docs/openapi.json', () => {
  beforeAll(async () => {
    packages = await packagesFolder('generators')
    // Beside the packages, so that the compiler finds the types of Node.js.
    folder = mkdtempSync(join(packages, 'generated-'))
    world = await createWorld(await useSharedSystem())
    const response = await fetch(`${world.baseUrl}/v1/orders/?limit=1`, { headers: { authorization: `Bearer ${world.token}` } })
    const { items } = (await response.json()) as { items: { id: string; total_amount: number; status: string }[] }
    newest = items.map(({ id, total_amount, status }) => ({ id, total: total_amount, status }))[0] as object
  }, 600_000)

  afterAll(() => folder && rmSync(folder, { recursive: true }))

  const environment = () => ({ ...process.env, ACCESS_TOKEN: world.token, BASE_URL: world.baseUrl })

  test('compile in TypeScript and describe the replies', async () => {
    await run('npx', ['openapi-typescript', document, '-o', join(folder, 'api.d.ts')], { cwd: packages })
    const program = join(folder, 'program.ts')
    writeFileSync(program, typescriptProgram)
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions', '--types', 'node']
    await run('npx', ['tsc', ...strict, join(folder, 'api.d.ts'), program], { cwd: packages })
    expect(JSON.parse((await run(process.execPath, [program], { env: environment() })).stdout)).toEqual(newest)
  })

  test('decode the replies in Python, which checks them', async () => {
    writeFileSync(join(folder, 'quittance.py'), await generatePython(packages))
    writeFileSync(join(folder, 'program.py'), pythonProgram)
    const { stdout } = await run('python3', ['program.py'], { cwd: folder, env: environment() })
    expect(JSON.parse(stdout)).toEqual(newest)
  })
})

/** Generates classes for the objects of some components. */
async function generatePython(installed: string): Promise<string> {
  const entry = createRequire(join(installed, 'package.json')).resolve('quicktype-core')
  const { quicktype, InputData, JSONSchemaInput, FetchingJSONSchemaStore } = await import(pathToFileURL(entry).href)
  const { components } = JSON.parse(readFileSync(document, 'utf8'))
  const properties = Object.fromEntries(
    ['Order', 'Customer', 'Product', 'Subscription'].map((name) => [name.toLowerCase(), { $ref: `#/components/schemas/${name}` }]),
  )
  const source = new JSONSchemaInput(new FetchingJSONSchemaStore())
  await source.addSource({ name: 'Quittance', schema: JSON.stringify({ type: 'object', properties, components }) })
  const inputData = new InputData()
  inputData.addInput(source)
  const { lines } = await quicktype({ inputData, lang: 'python', rendererOptions: { 'python-version': '3.7' } })
  return lines.join('\n')
}
