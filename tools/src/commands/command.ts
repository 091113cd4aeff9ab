/** A subcommand of `quittance`. */
export interface Command {
  /** Words that call it: `start`, `token create`. */
  name: string
  summary: string
  /** Shown by `--help` below the summary: usage, options, and an example. */
  help: string
  run(args: string[]): Promise<void>
}

/** The person called a command in a way it does not understand. */
export class UsageError extends Error {}
