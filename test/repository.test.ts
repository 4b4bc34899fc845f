import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')

test('links between pages lead to files and headings that exist', () => {
  /** A heading as GitHub makes it an anchor. */
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
  const anchorsOf = (file: string) => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))
  const links = files
    .filter((file) => file.endsWith('.md') && existsSync(join(ROOT, file)))
    .flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, path = '', heading]) => ({
        page,
        target: path === '' ? page : join(dirname(page), path),
        heading,
      })),
    )
  expect(links.length).toBeGreaterThan(50)
  const broken = links.filter(
    ({ target, heading }) =>
      !existsSync(join(ROOT, target)) ||
      (heading !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(heading)),
  )
  expect(broken).toEqual([])
})

test('pages name files of tests that there are', () => {
  const named = files
    .filter((file) => file.startsWith('docs/') && file.endsWith('.md') && existsSync(join(ROOT, file)))
    .flatMap((page) => [...read(page).matchAll(/([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => ({ page, path })))
  expect(named.length).toBeGreaterThan(50)
  // Often by the end of its path: `subscriptions.test.ts`.
  const exists = (path: string) => files.some((file) => `/${file}`.endsWith(`/${path.replace(/^\//, '')}`))
  expect(named.filter(({ path }) => !exists(path))).toEqual([])
})

test('the changelog has the form of Keep a Changelog, the newest first', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^(##+) (.*)$/gm)].map(([, level = '', text = '']) => ({ level, text }))
  const releases = headings.filter(({ level }) => level === '##').map(({ text }) => text)
  expect(releases[0]).toBe('[Unreleased]')
  for (const release of releases.slice(1)) expect(release).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}( \[YANKED\])?$/)
  const kinds = headings.filter(({ level }) => level === '###').map(({ text }) => text)
  expect(kinds.filter((kind) => !['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].includes(kind))).toEqual([])
})

test('templates of issues ask for what GitHub can show', () => {
  const names = files.filter((file) => file.startsWith('.github/ISSUE_TEMPLATE/'))
  expect(names.map((name) => basename(name)).sort()).toEqual(['bug_report.yml', 'config.yml', 'feature_request.yml'])
  const { contact_links: contacts } = parse(read('.github/ISSUE_TEMPLATE/config.yml'))
  for (const { name, url, about } of contacts) {
    expect(new URL(url).protocol).toBe('https:')
    expect([typeof name, typeof about]).toEqual(['string', 'string'])
  }
  for (const file of names.filter((name) => !name.endsWith('config.yml'))) {
    const { name, description, body } = parse(read(file))
    expect([typeof name, typeof description]).toEqual(['string', 'string'])
    const ids = body.map(({ id }: { id?: string }) => id).filter(Boolean)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { type, attributes } of body) {
      expect(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']).toContain(type)
      expect(typeof (type === 'markdown' ? attributes.value : attributes.label)).toBe('string')
      if (type === 'dropdown') expect(attributes.options.length).toBeGreaterThan(1)
    }
  }
})

test('NOTICE names files and packages that there are', () => {
  const [, inRepository = '', inPackages = ''] = read('NOTICE').split(/^\d\. .*$/m)
  const named = [...inRepository.matchAll(/^(?=\S)(.*)$/gm)].flatMap(([line]) => line.match(/[\w.-]+\.(?:json|ts)\b/g) ?? [])
  expect(named.length).toBeGreaterThan(15)
  const known = new Set(files.map((file) => basename(file)))
  expect(named.filter((name) => !known.has(name))).toEqual([])

  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const packages = [...inPackages.matchAll(/^(\S+)$/gm)].map(([, name = '']) => name)
  expect(packages.length).toBeGreaterThan(5)
  expect(packages.filter((name) => !(name in dependencies))).toEqual([])
})
