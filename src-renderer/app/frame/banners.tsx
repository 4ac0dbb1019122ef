import { retryConnection, useConnection, useData } from '../bridge.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { RegisteredBanners } from '../features.tsx'
import { bannersOf, dismissNotice, placeOf } from '../notices.ts'
import { Banner } from './banner.tsx'
import { PlaceLink } from './place-link.tsx'

/** More than these would push the page away; the rest is in the tray. */
const most = 2

export function Banners() {
  const status = useConnection((state) => state.status)
  const grave = bannersOf(useData('notice.list').data ?? []).slice(0, most)
  return (
    <>
      {status === 'lost' && (
        <Banner
          level="alarm"
          title="The connection to Tondesk is lost."
          detail="The data shown may be outdated. Reconnecting…"
          end={<Button onClick={retryConnection}>Try now</Button>}
        />
      )}
      <RegisteredBanners />
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
                  label={`Dismiss: ${notice.title}`}
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
