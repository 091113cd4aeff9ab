import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readJsonFile, writeJsonFile } from './json-file.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'quittance-json-file-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('writes the whole file, readable by its owner only, and leaves no other file', () => {
  const file = join(folder, 'ready.json')
  expect(readJsonFile(file)).toBeNull()
  writeJsonFile(file, { pid: 1, base_url: 'http://127.0.0.1:1' })
  writeJsonFile(file, { pid: 2 })
  expect(readFileSync(file, 'utf8')).toBe('{\n  "pid": 2\n}\n')
  expect(readJsonFile(file)).toEqual({ pid: 2 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['ready.json'])
})

test('a damaged file is named, and its content is not printed', () => {
  const file = join(folder, 'secrets.json')
  writeFileSync(file, '{ "LINK_SECRET": "Zq3')
  expect(() => readJsonFile(file)).toThrow(new Error(`${file} is damaged: it is not JSON.`))
})
