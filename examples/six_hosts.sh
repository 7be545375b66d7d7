#!/usr/bin/env bash
# Six hosts on one machine, as network namespaces: three servers, two owners and a receiver, who share
# nothing but a network. Each has an address, a folder and a key of its own, and types what it would
# type at home. Needs root, iproute2 (the command ip) and an installed ppaurora; leaves nothing behind.
#
#     sudo PPAURORA=/opt/ppaurora/bin/ppaurora examples/six_hosts.sh [FOLDER that keeps the lists]
#
# With FORWARDED="7100 7101 7102" each server runs in a network of its own behind its host, which forwards
# these ports to it, as a container's do (deploy/compose/compose.yaml); that needs iptables, too.
set -euo pipefail
ppaurora=${PPAURORA:-ppaurora}
network=198.18.7  # set aside for tests on one's own devices (RFC 2544)
declare -A address=([p0]=1 [p1]=2 [helper]=3 [ann]=4 [ben]=5 [reader]=6)
homes=$(mktemp -d)
stem=ppaurora-walk-$$
servers=()
forwarded=${FORWARDED:-}

leave() { # in every case, a failure and Ctrl-C among them
    for pid in "${servers[@]}"; do kill "$pid" 2> /dev/null || true; done
    wait
    for host in "${!address[@]}" {p0,p1,helper}-inside switch; do ip netns delete "$stem-$host" 2> /dev/null || true; done
    rm -rf "$homes"
}
trap leave EXIT
trap 'exit 1' INT TERM

# at HOST COMMAND...: the command on that host, in its own folder.
at() { (cd "$homes/$1" && exec ip netns exec "$stem-$1" "${@:2}"); }
# the network namespace of a server: its host's, or one behind it
place() { echo "$stem-$1${forwarded:+-inside}"; }
say() { printf '\n== %s\n' "$1"; }

say "Six hosts and a switch"
ip netns add "$stem-switch"
ip -n "$stem-switch" link add switch type bridge
ip -n "$stem-switch" link set switch up
for host in "${!address[@]}"; do
    mkdir -m 0700 "$homes/$host"
    ip netns add "$stem-$host"
    ip -n "$stem-$host" link set lo up
    ip -n "$stem-$host" link add eth0 type veth peer name "$host" netns "$stem-switch"
    ip -n "$stem-$host" address add "$network.${address[$host]}/24" dev eth0
    ip -n "$stem-$host" link set eth0 up
    ip -n "$stem-switch" link set "$host" master switch up
done

if [[ -n $forwarded ]]; then
    for host in p0 p1 helper; do
        inside=$(place "$host")
        ip netns add "$inside"
        ip -n "$inside" link set lo up
        ip -n "$inside" link add eth0 type veth peer name inside netns "$stem-$host"
        ip -n "$inside" address add 10.88.0.2/24 dev eth0
        ip -n "$inside" link set eth0 up
        ip -n "$stem-$host" address add 10.88.0.1/24 dev inside
        ip -n "$stem-$host" link set inside up
        ip -n "$inside" route add default via 10.88.0.1
        nat() { at "$host" iptables --table nat --append "$@"; }
        at "$host" sysctl --quiet --write net.ipv4.ip_forward=1
        nat POSTROUTING --source 10.88.0.0/24 --out-interface eth0 --jump MASQUERADE
        for port in $forwarded; do
            nat PREROUTING --protocol tcp --destination "$network.${address[$host]}" --dport "$port" \
                --jump DNAT --to-destination "10.88.0.2:$port"
        done
    done
fi

say "1. Everybody makes a key, and sends its public half to the author of the study (here: reader)"
for host in "${!address[@]}"; do
    at "$host" "$ppaurora" keys new site.key
    cp "$homes/$host/site.key.pub" "$homes/reader/$host.pub"
done

say "2. The author writes the study, and sends it to everybody"
at reader "$ppaurora" study new study.toml --id six-hosts --title "Six hosts" \
    --p0 "$network.1:7100=p0.pub" --p1 "$network.2:7100=p1.pub" --helper "$network.3:7100=helper.pub" \
    --owner ann=ann.pub --owner ben=ben.pub --receiver reader=reader.pub \
    --metric auroc_ci --least-owners 2 --least-samples 20
for host in "${!address[@]}"; do
    [[ $host == reader ]] || cp "$homes/reader/study.toml" "$homes/$host/"
done

say "3. Everybody writes a site file and checks the study"
for host in "${!address[@]}"; do
    printf 'key = "site.key"\nstudies = ["study.toml"]\n' > "$homes/$host/site.toml"
    at "$host" "$ppaurora" study check study.toml --site site.toml
done

say "4. The operators start their servers"
for host in p0 p1 helper; do
    (cd "$homes/$host" && exec ip netns exec "$(place "$host")" "$ppaurora" server site.toml 2> log) &
    servers+=($!)
done
for host in p0 p1 helper; do
    timeout 60 bash -c "until grep -q 'server starts' '$homes/$host/log'; do sleep .1; done" \
        || { cat "$homes/$host/log"; exit 1; }
done

say "5. The owners upload"
for host in ann ben; do
    { echo score,label; for i in {1..200}; do
        label=$((RANDOM % 2))
        echo "0.$((10 * label + RANDOM % 80 + 10)),$label"
    done; } > "$homes/$host/scores.csv"
    [[ -z ${1:-} ]] || { mkdir -p "$1" && cp "$homes/$host/scores.csv" "$1/$host.csv"; }
    at "$host" "$ppaurora" outsource scores.csv --site site.toml --yes
done

say "6. The receiver takes the result, and can prove it"
at reader "$ppaurora" result --site site.toml --wait 120 --output result.json
at reader "$ppaurora" verify result.json --study study.toml
