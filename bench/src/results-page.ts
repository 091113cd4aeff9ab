/** A recorded run that another one replaces, as a section of the history. */
export interface ReplacedResult {
  /** As in `2026-11-23 02:22 UTC`. */
  date: string
  section: string
}

/**
 * Puts a result in place of the previous one of its scenario, whose name is the first word of its text. A scenario that is new comes last.
 */
export function replaceResult(
  page: string,
  { facts, text }: { facts: string; text: string },
): { page: string; replaced: ReplacedResult | null } {
  const scenario = text.slice(0, text.indexOf(':'))
  const [head = '', ...sections] = page.split(/^(?=## )/m)
  const section = `## ${scenario}\n\n${facts}\n\n${text.trimEnd()}\n`
  const position = sections.findIndex((each) => each.startsWith(`## ${scenario}\n`))
  const previous = position < 0 ? null : (sections[position] as string)
  const updated = position < 0 ? [...sections, section] : sections.with(position, section)
  return {
    page: `${[head, ...updated].map((part) => part.trimEnd()).join('\n\n')}\n`,
    replaced: previous === null ? null : toHistory(previous),
  }
}

/** The history has runs by date, with the name of the scenario in their text. */
function toHistory(section: string): ReplacedResult {
  const date = /^- date: (.*)$/m.exec(section)?.[1] ?? 'unknown'
  return { date, section: section.replace(/^## .*\n\n/, `## ${date}\n\n`).replace(/^- date: .*\n/m, '') }
}
