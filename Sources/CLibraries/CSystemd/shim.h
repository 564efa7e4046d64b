#pragma once
#include <sys/epoll.h>
#include <systemd/sd-bus.h>
