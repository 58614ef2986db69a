// node .github/release-notes.mjs v0.1.0 OWNER/NAME
// Prints the section of a version in CHANGELOG.md. Fails if the tag, package.json and CHANGELOG.md do not name the same version, or if
// package.json names another repository than the one that releases.
import { readFileSync } from 'node:fs'

const [tag = '', repository = ''] = process.argv.slice(2)
const { version, repository: declared } = JSON.parse(readFileSync('package.json', 'utf8'))
const changelog = readFileSync('CHANGELOG.md', 'utf8')

function fail(message) {
  console.error(message)
  process.exit(1)
}

const kit = JSON.parse(readFileSync('kit/package.json', 'utf8'))
if (kit.version !== version || kit.peerDependencies['drizzle-auth-adapter'] !== version)
  fail(`package.json has the version ${version}, and kit/package.json another one, or needs another one`)
if (tag !== `v${version}`) fail(`The tag is ${tag}, but package.json has the version ${version}`)
if (!declared.url.includes(`github.com/${repository}.git`))
  fail(`This is the repository ${repository}, but package.json names ${declared.url}: see RELEASING.md`)

const sections = changelog.split(/^(?=## \[)/m)
const section = sections.find((each) => each.startsWith(`## [${version}] - `))
if (!section) fail(`CHANGELOG.md has no section [${version}] with a date`)

// Links of the changelog are relative to the repository; those of a release are not.
const links = /\]\((?!https?:|#)([^)]+)\)/g
console.log(section.split('\n').slice(1).join('\n').trim().replace(links, `](https://github.com/${repository}/blob/${tag}/$1)`))
