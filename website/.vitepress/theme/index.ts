import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { followSwitch } from './pictures.js'
import { ChoiceTabs } from './tabs.js'
import './style.css'

export default {
  extends: DefaultTheme,
  setup: followSwitch,
  enhanceApp({ app }) {
    app.component('ChoiceTabs', ChoiceTabs)
  },
} satisfies Theme
