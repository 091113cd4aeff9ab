/** A word or phrase that the glossary replaces. */
export interface TextRule {
  pattern: RegExp
  /** The terms to use instead. */
  use: string
}

/** Phrases of comments, messages, test titles and documentation. Matched without regard to case. */
export const textRules: readonly TextRule[] = [
  { pattern: /\b(tell|tells|told|telling|untold|retell)\b/i, use: 'publish, report, show, distinguish' },
  { pattern: /\b(hear|hears|heard)\b/i, use: 'consume, receive, subscribe to' },
  { pattern: /\b(say|says|said)\b/i, use: 'state, specify, return, contain, mean' },
  { pattern: /\b(whoever|somebody|nobody|anybody|everybody|anyone who)\b/i, use: 'the role: caller, user, client, operator, replica' },
  { pattern: /\b(bury|buries|buried|ring|rings|rung|bell|knocks?|mend(s|ed)?)\b/i, use: 'dead-letter, notify, wake, repair' },
  { pattern: /\b(door|doorway|house|household)\b/i, use: 'gateway, edge, service' },
  { pattern: /\bbelieve[sd]?\b/i, use: 'accept, verify, cache' },
  { pattern: /\bwhat (came|comes|became|becomes|has become) of\b/i, use: 'the outcome of' },
  { pattern: /\b(anew|afresh|by and by|meanwhile)\b/i, use: 'again, gradually, at the same time' },
  { pattern: /\b(is|are|was|were|be|being) away\b/i, use: 'unavailable' },
  { pattern: /\b(go|goes|went|going) on\b/i, use: 'continue' },
  { pattern: /\bfaults? (of|is) ours?\b|\bof ours\b/i, use: 'internal error; the name of the owner' },
  { pattern: /\bof (its|their|his|her|one's) own\b/i, use: 'own, separate, dedicated' },
  { pattern: /\b(give|gives|gave|given|hand|hands|handed) (it |them )?back\b/i, use: 'return, release' },
  // A dead letter and a letter of credit are terms.
  { pattern: /(?<!dead[ -])\bletters?\b(?! of credit)/i, use: 'dead letter, character' },
  { pattern: /\blanes?\b/i, use: 'endpoint queue' },
  {
    pattern: /\b(stand|stands|stood) (in|on|behind|beside|as|for|there)\b/i,
    use: 'the verb that is meant: replace, represent, contain, be',
  },
  { pattern: /^(Gives|Tells|Says|Hears) /, use: 'Returns, Publishes, Consumes' },
]

/** A part of a declared name that the naming rules replace. */
export interface IdentifierRule {
  /** Whether a name, split into lower-case words, breaks the rule. */
  matches: (words: readonly string[], name: string, isFunction: boolean) => boolean
  use: string
}

const bounds = new Set(['most', 'least', 'usual', 'largest', 'longest'])
const verbs = /^(demand|refuse|tell|hear|say|said|bury|mend)/
const metaphors =
  /^(alarm|bell|ring|door|doorway|entrance|surroundings|lane|lanes|parting|standing|rhythm|lending|thawed|verdict|whoever|nobody|somebody)$/
const standardOf = /(typeOf|indexOf|valueOf|instanceOf)$/i

/** Rules for declared names: variables, functions, parameters, types and members. */
export const identifierRules: readonly IdentifierRule[] = [
  { matches: ([first = '', ...rest]) => bounds.has(first) && rest.length > 0, use: 'max…, min…, default… with the unit as suffix' },
  { matches: ([first = '']) => verbs.test(first), use: 'require…, assert…, reject…, publish…, consume…, report…, repair…' },
  { matches: (words) => words.some((word) => metaphors.test(word)), use: 'the term of docs/glossary.md' },
  {
    matches: (words, name, isFunction) => isFunction && words.length > 1 && words.at(-1) === 'of' && !standardOf.test(name),
    use: 'a verb and its object: get…, find…, load…, build…, compute…, to…',
  },
]

/** Splits a name at case changes, digits and punctuation, in lower case: `readyAtMs` → ready, at, ms. */
export function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase())
}
