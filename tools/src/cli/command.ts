/** A subcommand of `quittance`. */
export interface Command {
  /** Words that invoke it: `start`, `token create`. */
  name: string
  summary: string
  /** Shown by `--help` below the summary: usage, options, and an example. */
  help: string
  run(args: string[]): Promise<void>
}

/** The user invoked a command with invalid arguments. */
export class UsageError extends Error {}
