#!/bin/sh
# Kills each api and worker of this host that has accepted connections for a minute without an answer; its unit starts it again.
# Settings of the api, such as DOCLOOM_PORT, come from the unit.
for unit in $(systemctl list-units --state=active --plain --no-legend docloom-api.service 'docloom-worker@*.service' | cut -d ' ' -f 1); do
  case $unit in
    docloom-api.service) address=${DOCLOOM_HOST:-127.0.0.1}:${DOCLOOM_PORT:-8080} ;;
    *) instance=${unit#*@} && address=127.0.0.1:$((9460 + ${instance%.service})) ;;
  esac
  curl --silent --output /dev/null --max-time 10 --retry 5 --retry-delay 1 "http://$address/health"
  # 28: no answer in time. A refused connection is not a hung process: it is starting, or listens elsewhere.
  if [ $? -eq 28 ]; then
    echo "$unit has not answered at $address for a minute; it is started again"
    systemctl kill --signal=KILL "$unit"
  fi
done
