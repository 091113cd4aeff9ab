/** The `quittance` command. */
import { UsageError, type Command } from './cli/command.ts'
import { commands } from './commands/command-list.ts'

async function overview(all: readonly Command[]): Promise<string> {
  const width = Math.max(...all.map(({ name }) => name.length))
  return [
    'Usage: npm run quittance -- COMMAND [options]',
    '',
    ...all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'COMMAND --help explains a command, with an example.',
  ].join('\n')
}

/** Finds a command. A command has one word or two: the longest match wins. */
async function findCommand(words: readonly string[]): Promise<{ command: Command; args: string[] } | null> {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ')
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (load) return { command: await load(), args: words.slice(count) }
  }
  return null
}

/** Lists the commands that begin with the word: `keys` lists `keys rotate`. */
function loadGroup(word: string | undefined): Promise<Command[]> {
  const names = Object.keys(commands).filter((name) => name.split(' ')[0] === word)
  return Promise.all(names.map((name) => (commands[name] as () => Promise<Command>)()))
}

async function explain(words: readonly string[]): Promise<void> {
  const group = await loadGroup(words[0])
  const isHelpRequested = words.length === 0 || words.some((word) => word === '--help' || word === 'help')
  process.exitCode = isHelpRequested ? 0 : 2
  if (group.length > 0) return console.log(group.map(({ summary, help }) => `${summary}\n\n${help}`).join('\n\n'))
  const all = await Promise.all(Object.values(commands).map((load) => load()))
  console.log(`${isHelpRequested ? '' : `There is no command "${words.join(' ')}".\n\n`}${await overview(all)}`)
}

async function main(words: readonly string[]): Promise<void> {
  const found = await findCommand(words)
  if (!found) return explain(words)
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
      ? `${error.message}\nAdd --help to see the options.`
      : `\n${process.env.DEBUG ? (error as Error).stack : (error as Error).message}`,
  )
  process.exit(isUsage ? 2 : 1)
}
