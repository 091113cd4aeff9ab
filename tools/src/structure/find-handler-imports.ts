import { parseSync } from 'oxc-parser'
import { resolveImport } from './measure-sizes.ts'

/** A module as the rules need it. */
export interface Module {
  path: string
  /** Exported constants that `command()`, `query()`, `staged()`, `systemCommand()`, `systemQuery()` or `systemStaged()` make. */
  handlers: readonly string[]
  imports: readonly { path: string; names: readonly string[] }[]
}

const makers = new Set(['command', 'query', 'staged', 'systemCommand', 'systemQuery', 'systemStaged'])

interface Node {
  type: string
  [key: string]: unknown
}

/** Reads the handlers and the relative imports of a TypeScript module. */
export function readModule(path: string, source: string): Module {
  const { program } = parseSync(path, source)
  const body = program.body as unknown as Node[]
  return {
    path,
    handlers: body.flatMap((statement) =>
      statement.type === 'ExportNamedDeclaration' ? handlersIn(statement['declaration'] as Node | null) : [],
    ),
    imports: body.flatMap((statement) => {
      const target = statement.type === 'ImportDeclaration' ? resolveImport(path, (statement['source'] as { value: string }).value) : null
      return target ? [{ path: target, names: importedNames(statement) }] : []
    }),
  }
}

function handlersIn(declaration: Node | null): string[] {
  if (declaration?.type !== 'VariableDeclaration') return []
  return (declaration['declarations'] as Node[]).flatMap((each) => {
    const init = each['init'] as (Node & { callee?: { name?: string } }) | null
    return init?.type === 'CallExpression' && makers.has(init.callee?.name ?? '') ? [(each['id'] as { name: string }).name] : []
  })
}

function importedNames(statement: Node): string[] {
  return (statement['specifiers'] as Node[]).flatMap((each) => (each['imported'] as { name?: string } | undefined)?.name ?? [])
}

/**
 * Finds imports of handlers. An operation is bound to its contract in `service.ts` alone: code that several operations share is a function.
 */
export function findHandlerImports(modules: readonly Module[]): string[] {
  const handlers = new Map(modules.map(({ path, handlers }) => [path, new Set(handlers)]))
  return modules
    .filter(({ path }) => !/\/src\/service\.ts$|\.test\.ts$|\/test\//.test(path))
    .flatMap(({ path, imports }) =>
      imports.flatMap((each) =>
        each.names
          .filter((name) => handlers.get(each.path)?.has(name))
          .map((name) => `${path} imports the handler ${name} of ${each.path}`),
      ),
    )
}
