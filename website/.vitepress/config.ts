import { defineConfig } from 'vitepress'
import { linkToPages } from './links.js'
import { description, name, repositoryAddress, version } from './package.js'
import { excluded, pageOf, sidebar } from './pages.js'
import { tables } from './tables.js'
import { tabs, tabsWithoutScript } from './tabs.js'

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="#5672cd" stroke-width="4"><circle cx="10" cy="16" r="6"/><path d="M16 16h13m-5 0v6"/></g></svg>'

/** The anchor that GitHub gives a heading. Links in the pages use these. */
const slugOnGithub = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

export default defineConfig({
  title: name,
  description,
  lang: 'en',
  // GitHub Pages serves a repository's site below its name.
  base: process.env.DOCS_BASE || '/',
  srcDir: '..',
  srcExclude: excluded,
  outDir: '../site',
  rewrites: (file) => pageOf(file) ?? file,
  cleanUrls: true,
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
    ['noscript', {}, `<style>${tabsWithoutScript}</style>`],
  ],
  vite: { configFile: false },
  markdown: {
    anchor: { slugify: slugOnGithub },
    // In the default themes, comments and keywords have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    config(md) {
      linkToPages(md)
      tables(md)
      tabs(md)
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/introduction', activeMatch: '^/(?!$|api|changelog)' },
      { text: 'API', link: '/api/', activeMatch: '^/api' },
      { text: version, link: '/changelog' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    ...(repositoryAddress && { socialLinks: [{ icon: 'github', link: repositoryAddress }] }),
  },
})
