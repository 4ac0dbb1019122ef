import type { ReactNode } from 'react'
import type { Notice } from '../../../src-preload/contract/index.ts'
import { retryConnection, useConnection } from '../../bridge.ts'
import { useResource, valueOf } from '../../resource.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { bannersOf, dismissNotice, notices, placeOf } from '../notices.ts'
import { PlaceLink } from './place-link.tsx'
import styles from './banners.module.css'

/** More than these would push the page away; the rest is in the tray. */
const most = 2

export function Banners() {
  const status = useConnection((state) => state.status)
  const grave = bannersOf(valueOf(useResource(notices)) ?? []).slice(0, most)
  return (
    <>
      {status === 'lost' && (
        <Banner
          level="alarm"
          title="The connection to Tondesk is lost."
          detail="What you see may be old. Trying again…"
          end={<Button onClick={retryConnection}>Try now</Button>}
        />
      )}
      {grave.map((notice) => (
        <Banner
          key={notice.id}
          level={notice.level}
          title={notice.title}
          detail={notice.detail}
          isShort={placeOf(notice) !== null}
          end={
            <>
              <PlaceLink notice={notice} />
              {notice.dismissible && (
                <IconButton
                  icon="close"
                  label={`Put away: ${notice.title}`}
                  onClick={() => void dismissNotice(notice.id)}
                />
              )}
            </>
          }
        />
      ))}
    </>
  )
}

function Banner({
  level,
  title,
  detail,
  isShort = false,
  end,
}: {
  level: Notice['level']
  title: string
  detail: string
  /** In one line: where its link leads to, and in the tray, all of it is told. */
  isShort?: boolean
  end: ReactNode
}) {
  return (
    <div
      className={classes(styles['banner'], styles[level])}
      role={level === 'alarm' ? 'alert' : 'status'}
    >
      <Icon name="warning" />
      <p
        className={classes(styles['words'], isShort && styles['short'])}
        title={isShort ? detail : undefined}
      >
        <span className={styles['title']}>{endSentence(title)}</span>{' '}
        <span className={styles['detail']}>{detail}</span>
      </p>
      <div className={styles['end']}>{end}</div>
    </div>
  )
}

function endSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}
