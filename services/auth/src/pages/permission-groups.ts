import { scopeDescriptions, type Scope } from '@quittance/contracts/scopes'

/** The requested permissions on one resource. */
export interface PermissionGroup {
  title: string
  permissions: { sentence: string; movesMoney: boolean }[]
  movesMoney: boolean
  isReadOnly: boolean
}

/** Scopes that can transfer money. */
const movingMoney: ReadonlySet<Scope> = new Set<Scope>(['refunds:write', 'payouts:write', 'transactions:write', 'subscriptions:write'])

/** Scopes about the user only, regardless of organizations. */
export const identityScopes: ReadonlySet<Scope> = new Set<Scope>(['openid', 'profile', 'email', 'user:read'])

/** Groups scopes by resource: those that move money first, then those that change data, then read-only ones; each in alphabetical order. */
export function permissionGroups(scopes: readonly Scope[]): PermissionGroup[] {
  const byTitle = Map.groupBy(scopes, getTitle)
  const groups = [...byTitle].map(([title, members]) => buildGroup(title, members))
  return groups.toSorted((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title, 'en'))
}

function buildGroup(title: string, scopes: readonly Scope[]): PermissionGroup {
  const money = scopes.filter((scope) => movingMoney.has(scope))
  const writing = scopes.filter((scope) => scope.endsWith(':write') && !movingMoney.has(scope))
  const reading = scopes.filter((scope) => !scope.endsWith(':write'))
  return {
    title,
    permissions: [...money, ...writing, ...reading].map((scope) => ({
      sentence: scopeDescriptions[scope],
      movesMoney: movingMoney.has(scope),
    })),
    movesMoney: money.length > 0,
    isReadOnly: money.length + writing.length === 0,
  }
}

function rank({ movesMoney, isReadOnly }: PermissionGroup): number {
  if (movesMoney) return 0
  return isReadOnly ? 2 : 1
}

function getTitle(scope: Scope): string {
  if (identityScopes.has(scope)) return 'You'
  const [resource = ''] = scope.split(':')
  const words = resource.replaceAll('_', ' ').replace('license', 'licence')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
