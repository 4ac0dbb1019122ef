import { useEffect } from 'react'
import { useRoute } from '../../app/route.ts'
import { everything, openId } from './inspector-state.ts'
import { detail, followEvents, leavePage, live, openPage, useInspector } from './inspector.ts'

/** Shows what the address says: a search, and the capture that is open. */
export function useInspectorRoute(): void {
  const route = useRoute((state) => state.route)
  const isHere = route.page === 'inspector'
  const captureId = isHere ? route.captureId : null
  const { text } = isHere ? route.query : everything

  useEffect(() => followEvents(), [])

  useEffect(() => {
    void openPage({ text })
  }, [text])

  useEffect(() => {
    const open = openId(useInspector.getState().detail)
    if (captureId === open) return
    if (captureId === null) {
      detail.close()
      live.catchUp()
    } else {
      useInspector.setState({ cursor: captureId })
      void detail.open(captureId)
    }
  }, [captureId])

  useEffect(() => leavePage, [])
}
