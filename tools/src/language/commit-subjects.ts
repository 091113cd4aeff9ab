import { spawnSync } from 'node:child_process'
import { findInText } from './find-hits.ts'

const conventional = /^(feat|fix|perf|refactor|test|docs|build|ci|chore|bench|revert)(\([a-z0-9,-]+\))?!?: [a-z]/

/**
 * What is wrong with the subjects of commits that are not on `origin/main` yet; nothing if there is no such branch. `allowed` are hashes of
 * commits that are shared already and whose subject stays.
 */
export function checkCommitSubjects(root: string, allowed: ReadonlySet<string>): string[] {
  const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--abbrev=7', '--format=%h %s', 'origin/main..HEAD'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) return []
  return stdout
    .split('\n')
    .filter(Boolean)
    .flatMap((entry) => {
      const [hash, subject] = [entry.slice(0, entry.indexOf(' ')), entry.slice(entry.indexOf(' ') + 1)]
      if (allowed.has(hash)) return []
      return findSubjectProblems(subject).map((problem) => `commit ${hash}: ${problem}`)
    })
}

/** What is wrong with the subject of a commit: its form, its length, its words. */
export function findSubjectProblems(subject: string): string[] {
  return [
    ...(conventional.test(subject) ? [] : ['the subject is not “type(scope): imperative”']),
    ...(subject.length > 72 ? [`the subject has ${subject.length} characters; at most 72`] : []),
    ...(subject.endsWith('.') ? ['the subject ends with a full stop'] : []),
    ...findInText(subject, 'text').map(({ match, use }) => `“${match}”: use ${use}`),
  ]
}
