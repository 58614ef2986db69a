import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { ChoiceTabs } from './tabs.js'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('ChoiceTabs', ChoiceTabs)
  },
} satisfies Theme
