import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../src/commands/command-list.ts'

const root = join(import.meta.dirname, '../..')
const quittance = (...args: string[]) => spawnSync(process.execPath, ['tools/src/quittance.ts', ...args], { cwd: root, encoding: 'utf8' })

test.each(Object.keys(commands))('%s --help shows a summary, the usage, and an example that calls it', async (name) => {
  const command = await (commands[name] as () => Promise<{ name: string; summary: string; help: string }>)()
  expect(command.name).toBe(name)
  expect(command.summary).toMatch(/^[A-Z].+\.$/)
  const call = name === 'start' ? 'npm start' : `quittance -- ${name}`
  expect(command.help).toContain('Usage: ')
  expect(command.help.split('Example: ')[1]).toContain(call)
})

test('every command of the handbook exists', () => {
  const words = new Set(Object.keys(commands).map((name) => name.split(' ')[0]))
  const wanted = 'start demo migrate seed account organization token client keys events dead-letters replay openapi config doctor'.split(
    ' ',
  )
  expect(wanted.filter((word) => !words.has(word))).toEqual([])
})

test('--help lists all commands, a first word lists its pairs, and an unknown word is an error', () => {
  const overview = quittance('--help')
  expect(overview.status).toBe(0)
  for (const name of Object.keys(commands)) expect(overview.stdout).toContain(`  ${name} `)
  const keys = quittance('keys', '--help')
  expect(keys).toMatchObject({ status: 0, stdout: expect.stringContaining('Example: npm run quittance -- keys rotate') as string })
  expect(quittance('keys').status).toBe(2)
  expect(quittance('fly')).toMatchObject({ status: 2, stdout: expect.stringContaining('There is no command "fly".') as string })
})

test.each(['constructor', 'toString', '__proto__'])('%s, which every object has, is an unknown word', (word) => {
  expect(quittance(word)).toMatchObject({ status: 2, stdout: expect.stringContaining(`There is no command "${word}".`) as string })
})
