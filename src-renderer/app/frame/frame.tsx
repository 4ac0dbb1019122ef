import type { ReactNode } from 'react'
import { RegisteredDialog } from '../features.tsx'
import { Banners } from './notices.tsx'
import { Palette } from './palette.tsx'
import { Rail } from './rail.tsx'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { TopBar } from './top-bar.tsx'
import styles from './frame.module.css'

/** The rail, the top bar and the banners around every page. */
export function Frame({ children }: { children: ReactNode }) {
  return (
    <div className={styles['frame']}>
      <a
        href="#page"
        className={styles['skip']}
        onClick={(event) => {
          // The hash is the route: the browser must not follow this link itself.
          event.preventDefault()
          document.getElementById('page')?.focus()
        }}
      >
        Skip to main content
      </a>
      <Rail />
      <TopBar />
      <main className={styles['main']}>
        <div>
          <Banners />
        </div>
        <div id="page" className={styles['page']} tabIndex={-1}>
          {children}
        </div>
      </main>
      <Palette />
      <ShortcutSheet />
      <RegisteredDialog />
    </div>
  )
}
