/** The `quittance` command. */
import { UsageError, type Command } from './commands/command.ts'

/** Loaded when called: `start` does not wait for what only `migrate` needs. */
const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./commands/start.ts')).start,
  seed: async () => (await import('./commands/seed.ts')).seed,
  'account create': async () => (await import('./commands/account-create.ts')).accountCreate,
  'organization create': async () => (await import('./commands/organization-create.ts')).organizationCreate,
  'member add': async () => (await import('./commands/member-add.ts')).memberAdd,
  'token create': async () => (await import('./commands/token-create.ts')).tokenCreate,
  'client create': async () => (await import('./commands/client-create.ts')).clientCreate,
  'keys rotate': async () => (await import('./commands/keys-rotate.ts')).keysRotate,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  config: async () => (await import('./commands/config.ts')).config,
}

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()))
  const width = Math.max(...all.map(({ name }) => name.length))
  return [
    'Usage: npm run quittance -- COMMAND [options]',
    '',
    ...all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'COMMAND --help explains a command, with an example.',
  ].join('\n')
}

/** A command has one word or two: the longest that fits. */
async function findCommand(words: readonly string[]): Promise<{ command: Command; args: string[] } | null> {
  for (const count of [2, 1]) {
    const load = commands[words.slice(0, count).join(' ')]
    if (load) return { command: await load(), args: words.slice(count) }
  }
  return null
}

async function main(words: readonly string[]): Promise<void> {
  const found = await findCommand(words)
  if (!found) {
    const asked = words.length === 0 || words[0] === '--help' || words[0] === 'help'
    console.log(`${asked ? '' : `There is no command "${words.join(' ')}".\n\n`}${await overview()}`)
    process.exitCode = asked ? 0 : 2
    return
  }
  const { command, args } = found
  if (args.includes('--help')) return console.log(`${command.summary}\n\n${command.help}`)
  await command.run(args)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(
    isUsage
      ? `${error.message}\nAdd --help to see what is possible.`
      : `\n${process.env.DEBUG ? (error as Error).stack : (error as Error).message}`,
  )
  process.exit(isUsage ? 2 : 1)
}
