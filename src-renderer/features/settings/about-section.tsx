import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { KeyValues } from '../../ui/kv.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { appInfo } from '../../app/app-info.ts'
import { Section } from './section.tsx'
import styles from './section.module.css'

const hosts = {
  electron: 'desktop app',
  browser: 'browser mode',
  cli: 'command line',
} as const

export function AboutSection() {
  const info = useResource(appInfo)
  return (
    <Section id="about">
      {(info.status === 'idle' || info.status === 'loading') && <Skeleton rows={3} />}
      {info.status === 'failed' && (
        <p className={styles['error']} role="alert">
          The versions are not known: {info.error.message}{' '}
          <Button kind="link" onClick={() => void appInfo.reload()}>
            Try again
          </Button>
        </p>
      )}
      {info.status === 'ready' && (
        <KeyValues
          pairs={[
            ['Tondesk', `${info.value.version}, ${hosts[info.value.host]}`],
            ['System', info.value.platform],
            ['Node.js', info.value.node],
            ['Electron', info.value.electron ?? null],
            ['SQLite', info.value.sqlite],
            ['Process', String(info.value.processId)],
          ]}
        />
      )}
    </Section>
  )
}
