import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type GatewayUnderTest } from './start-gateway.ts'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('the reference is served whole by the gateway, under a policy that lets it ask nobody else', async () => {
  const page = await gateway.fetch('/docs')
  expect(page.status).toBe(200)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/)
  const sources = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source as string)
  expect(sources.filter((source) => !/^(\/|data:)/.test(source))).toEqual([])
  for (const path of sources.filter((source) => source.startsWith('/')))
    expect([path, (await gateway.fetch(path)).status]).toEqual([path, 200])
})

test('of the package nothing but its script is served', async () => {
  expect((await gateway.fetch('/docs/reference/')).status).toBe(404)
})
