import type { Settings } from '../../../src-preload/contract/settings.ts'
import text from '../../ui/text.module.css'
import { chooseTheme, themes } from '../../app/theme.ts'
import { Section } from './section.tsx'
import styles from './section.module.css'

export function AppearanceSection({ settings }: { settings: Settings['appearance'] }) {
  return (
    <Section id="appearance">
      <fieldset className={styles['radios']}>
        <legend className={text['hidden']}>Theme</legend>
        {themes.map(({ value, label }) => (
          <label key={value} className={styles['radio']}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={settings.theme === value}
              onChange={() => void chooseTheme(value)}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </Section>
  )
}
